//! Archives that mean well and archives that do not.

use std::collections::BTreeMap;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;

fn tar_gz(fill: impl FnOnce(&mut tar::Builder<Vec<u8>>)) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    fill(&mut builder);
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(&builder.into_inner().unwrap()).unwrap();
    gz.finish().unwrap()
}

/// An entry whose name is put in as it is: the builder itself would refuse bad ones.
fn entry(
    builder: &mut tar::Builder<Vec<u8>>,
    kind: EntryType,
    name: &str,
    mode: u32,
    bytes: &[u8],
    link: &str,
) {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(bytes.len() as u64);
    header.set_cksum();
    builder.append(&header, bytes).unwrap();
}

fn all(name: &str, bytes: &[u8], below: &str) -> Result<BTreeMap<String, (Kind, Vec<u8>)>, String> {
    let mut items = BTreeMap::new();
    unpack(name, bytes, below, &mut |path, kind, bytes| {
        items.insert(path.to_owned(), (kind, bytes.to_vec()));
        Ok(())
    })?;
    Ok(items)
}

fn file(bytes: &[u8], executable: bool) -> (Kind, Vec<u8>) {
    let kind = if executable {
        Kind::Executable
    } else {
        Kind::File
    };
    (kind, bytes.to_vec())
}

#[test]
fn only_what_is_below_the_folder_is_passed_on() {
    let bytes = tar_gz(|tar| {
        entry(tar, EntryType::Directory, "p-1/mlx/", 0o755, b"", "");
        entry(tar, EntryType::Regular, "p-1/mlx/run.sh", 0o755, b"run", "");
        entry(tar, EntryType::Regular, "p-1/mlx-other/x", 0o644, b"x", "");
        entry(
            tar,
            EntryType::Symlink,
            "p-1/mlx/link",
            0o777,
            b"",
            "run.sh",
        );
    });
    let items = all("p-1.crate", &bytes, "p-1/mlx").unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(items["run.sh"], file(b"run", true));
    assert_eq!(items["link"], (Kind::Link, b"run.sh".to_vec()));
    let one = all("p-1.crate", &bytes, "p-1/mlx-other/x").unwrap();
    assert_eq!(one[""], file(b"x", false));
    assert_eq!(all("p-1.crate", &bytes, "").unwrap().len(), 3);
}

#[test]
fn an_entry_that_leaves_the_folder_makes_the_archive_unfit() {
    for name in [
        "p-1/../../x",
        "/etc/passwd",
        "p-1/mlx/../../../x",
        "p-1/.git/config",
    ] {
        let bytes = tar_gz(|tar| {
            entry(tar, EntryType::Regular, "p-1/mlx/good", 0o644, b"good", "");
            entry(tar, EntryType::Regular, name, 0o644, b"bad", "");
        });
        let error = all("p.tar.gz", &bytes, "p-1/mlx").unwrap_err();
        assert!(error.contains(name), "{error}");
    }
}

#[test]
fn devices_and_hard_links_make_the_archive_unfit() {
    for kind in [EntryType::Link, EntryType::Char, EntryType::Fifo] {
        let bytes = tar_gz(|tar| entry(tar, kind, "p/x", 0o644, b"", "p/y"));
        assert!(
            all("p.tar.gz", &bytes, "p")
                .unwrap_err()
                .contains("neither")
        );
    }
}

#[test]
fn a_size_that_is_absurd_is_refused_before_it_is_read() {
    let bytes = tar_gz(|tar| {
        let mut header = tar::Header::new_gnu();
        header.set_path("p/huge").unwrap();
        header.set_size(limits::FILE + 1);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, io::repeat(0).take(limits::FILE + 1))
            .unwrap();
    });
    assert!(bytes.len() < 2 << 20);
    let error = all("p.tar.gz", &bytes, "p").unwrap_err();
    assert!(
        error.contains("67108864 bytes, which is the limit"),
        "{error}"
    );
}

#[test]
fn a_truncated_archive_is_an_error() {
    let bytes = tar_gz(|tar| {
        let noise: Vec<u8> = (0..100_000_u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect();
        entry(tar, EntryType::Regular, "p/x", 0o644, &noise, "");
    });
    assert!(all("p.tar.gz", &bytes, "p").is_ok());
    assert!(all("p.tar.gz", &bytes[..bytes.len() / 2], "p").is_err());
    assert!(all("p.zip", &bytes, "p").is_err());
    assert!(all("p.tar.xz", &bytes, "p").is_err());
    assert!(all("p.rar", &bytes, "p").unwrap_err().contains("no known"));
}

#[test]
fn zip_and_xz_are_read_like_tar_gz() {
    let mut tar = tar::Builder::new(Vec::new());
    entry(&mut tar, EntryType::Regular, "p/x", 0o644, b"text", "");
    let mut xz = Vec::new();
    lzma_rs::xz_compress(&mut tar.into_inner().unwrap().as_slice(), &mut xz).unwrap();
    assert_eq!(
        all("p.tar.xz", &xz, "p").unwrap()["x"],
        file(b"text", false)
    );

    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("p/x", options.unix_permissions(0o755))
        .unwrap();
    zip.write_all(b"text").unwrap();
    zip.add_symlink("p/link", "x", options).unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let items = all("p.zip", &zip, "p").unwrap();
    assert_eq!(items["x"], file(b"text", true));
    assert_eq!(items["link"], (Kind::Link, b"x".to_vec()));
    let error = all("p.zip", &zip[..zip.len() - 30], "p").unwrap_err();
    assert!(!error.is_empty());
}

#[test]
fn a_zip_that_leaves_the_folder_is_refused() {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("p/../../x", zip::write::SimpleFileOptions::default())
        .unwrap();
    let zip = zip.finish().unwrap().into_inner();
    assert!(all("p.zip", &zip, "p").unwrap_err().contains(".."));
}
