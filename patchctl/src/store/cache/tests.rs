use std::cell::Cell;
use std::sync::mpsc::channel;

use super::*;
use crate::progress::Quiet;

fn scratch() -> (tempfile::TempDir, Utf8PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
    (folder, path)
}

fn cache(root: &Utf8Path) -> Cache {
    let progress: Arc<dyn Progress> = Arc::new(Quiet);
    Cache::new(&root.join("cache"), &progress)
}

/// A tree of one file.
fn tree(into: &Utf8Path) -> Result<(), Error> {
    fs_err::create_dir_all(into.join("a")).unwrap();
    fs_err::write(into.join("a/x.h"), "int x;\n").unwrap();
    Ok(())
}

fn file(into: &Utf8Path) -> Result<(), Error> {
    fs_err::write(into, "an object").unwrap();
    Ok(())
}

fn names(folder: &Utf8Path) -> Vec<String> {
    let entries = folder.read_dir_utf8().unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn an_entry_is_made_once() {
    let (_keep, root) = scratch();
    let made = Cell::new(0);
    for _ in 0..2 {
        // As another process would: what one has seen proves nothing to the next.
        let path = cache(&root).entry("trees", "one", |into| {
            made.set(made.get() + 1);
            tree(into)
        });
        assert!(path.unwrap().join("a/x.h").is_file());
    }
    assert_eq!(made.get(), 1);
    assert_eq!(names(&root.join("cache/trees")), ["one"]);
    assert_eq!(names(&root.join("cache/unfinished")), [""; 0]);
}

#[test]
fn a_damaged_folder_is_made_anew() {
    let (_keep, root) = scratch();
    let cache = cache(&root);
    let path = cache.entry("trees", "one", tree).unwrap();
    let damages: [&dyn Fn(); 5] = [
        &|| fs_err::write(path.join("a/x.h"), "int y;\n").unwrap(),
        &|| fs_err::remove_file(path.join("a/x.h")).unwrap(),
        &|| fs_err::write(path.join("more.h"), "").unwrap(),
        &|| fs_err::remove_dir_all(&path).unwrap(),
        &|| fs_err::write(cache.digest_file(&path), "0").unwrap(),
    ];
    for damage in damages {
        damage();
        assert!(!cache.is_whole(&path));
        assert_eq!(cache.entry("trees", "one", tree).unwrap(), path);
        assert_eq!(fs_err::read(path.join("a/x.h")).unwrap(), b"int x;\n");
        assert_eq!(names(&path), ["a"]);
    }
}

#[test]
fn a_damaged_file_is_made_anew() {
    let (_keep, root) = scratch();
    let cache = cache(&root);
    let path = cache.entry("objects", "a.o", file).unwrap();
    for other in ["an obj", "", "an objecT"] {
        fs_err::write(&path, other).unwrap();
        assert!(!cache.is_whole(&path), "{other:?}");
        cache.entry("objects", "a.o", file).unwrap();
        assert_eq!(fs_err::read(&path).unwrap(), b"an object");
    }
    fs_err::remove_file(cache.digest_file(&path)).unwrap();
    assert!(!cache.is_whole(&path), "killed before the digest");
}

#[test]
fn a_failed_entry_leaves_nothing() {
    let (_keep, root) = scratch();
    let cache = cache(&root);
    let failed = cache.entry("trees", "one", |into| {
        tree(into)?;
        Err(unwritable(into, &io::ErrorKind::StorageFull.into()))
    });
    assert!(failed.is_err());
    assert!(!cache.path("trees", "one").exists());
    drop(cache);
    assert_eq!(names(&root.join("cache/unfinished")), [""; 0]);
}

#[test]
fn side_by_side_one_makes_an_entry() {
    let (_keep, root) = scratch();
    let (sender, made) = channel();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (sender, cache) = (sender.clone(), cache(&root));
            scope.spawn(move || {
                let path = cache.entry("trees", "one", |into| {
                    sender.send(()).unwrap();
                    tree(into)
                });
                assert!(path.unwrap().join("a/x.h").is_file());
            });
        }
    });
    drop(sender);
    assert_eq!(made.iter().count(), 1);
}

#[test]
fn a_second_taker_waits_for_the_lock() {
    let (_keep, root) = scratch();
    let cache = cache(&root);
    let (sender, events) = channel();
    let first = cache.lock("git", "x").unwrap();
    let second = {
        let (cache, sender) = (cache.clone(), sender.clone());
        std::thread::spawn(move || {
            let _lock = cache.lock("git", "x").unwrap();
            sender.send("second has it").unwrap();
        })
    };
    // Whatever the second does, it cannot have the lock before this word.
    sender.send("first lets go").unwrap();
    drop(first);
    second.join().unwrap();
    assert_eq!(
        events.try_iter().collect::<Vec<_>>(),
        ["first lets go", "second has it"]
    );
}

#[test]
fn a_killed_process_leaves_nothing_for_long() {
    let (_keep, root) = scratch();
    let killed = cache(&root);
    let inside = killed.session().unwrap().place();
    let outside = killed
        .session()
        .unwrap()
        .place_beside(&root.join("build/mlx"))
        .unwrap();
    tree(&inside.path).unwrap();
    tree(&outside.path).unwrap();
    assert_eq!(names(&root.join("build")).len(), 1);
    // One that lives keeps what is its own.
    let other = cache(&root);
    other.entry("trees", "one", tree).unwrap();
    assert!(inside.path.is_dir() && outside.path.is_dir());
    // Killed: nothing is dropped, and the system lets the lock go.
    std::mem::forget((inside, outside));
    let session = Arc::into_inner(killed.session)
        .unwrap()
        .into_inner()
        .unwrap();
    session.die();
    cache(&root).entry("trees", "two", tree).unwrap();
    assert_eq!(names(&root.join("build")), [""; 0]);
    drop(other);
    assert_eq!(names(&root.join("cache/unfinished")), [""; 0]);
}

#[test]
fn a_record_of_a_foreign_folder_removes_nothing() {
    let (_keep, root) = scratch();
    let mine = root.join("mine");
    tree(&mine).unwrap();
    let dead = root.join("cache/unfinished/session-x");
    fs_err::create_dir_all(&dead).unwrap();
    fs_err::write(dead.join("0.outside"), mine.as_str()).unwrap();
    cache(&root).entry("trees", "one", tree).unwrap();
    assert!(mine.join("a/x.h").is_file());
    assert!(!dead.exists());
}

#[test]
fn a_folder_outside_appears_whole() {
    let (_keep, root) = scratch();
    let cache = cache(&root);
    let into = root.join("build/mlx");
    assert!(cache.folder_at(&into, tree).unwrap().is_some());
    assert_eq!(names(&root.join("build")), ["mlx"]);
    let again = cache.folder_at(&into, |_| -> Result<(), Error> { panic!("it is there") });
    assert!(again.unwrap().is_none());
    let empty = root.join("empty");
    fs_err::create_dir(&empty).unwrap();
    assert!(cache.folder_at(&empty, tree).unwrap().is_some());
    assert_eq!(names(&root), ["build", "cache", "empty"]);
}

#[test]
fn a_repository_is_made_once() {
    let (_keep, root) = scratch();
    let cache = cache(&root);
    let path = cache.path("git", "x.git");
    cache.ensure_repository(&path).unwrap();
    fs_err::write(path.join("mine"), "x").unwrap();
    cache.ensure_repository(&path).unwrap();
    assert!(path.join("mine").is_file());
    assert!(!path.join("hooks").join("pre-commit.sample").exists());
    assert_eq!(names(path.parent().unwrap()), ["x.git"]);
}

#[cfg(unix)]
#[test]
fn a_lock_follows_no_link() {
    let (_keep, root) = scratch();
    let mine = root.join("mine");
    fs_err::write(&mine, "x").unwrap();
    let locks = root.join("cache/locks");
    fs_err::create_dir_all(&locks).unwrap();
    fs_err::os::unix::fs::symlink(&mine, locks.join("git-x")).unwrap();
    let error = cache(&root).lock("git", "x").err().unwrap();
    assert!(error.to_string().contains("git-x"), "{error}");
    assert_eq!(fs_err::read(&mine).unwrap(), b"x");
}

#[cfg(unix)]
#[test]
fn a_cache_that_is_a_file_is_named() {
    let (_keep, root) = scratch();
    fs_err::write(root.join("cache"), "x").unwrap();
    let error = cache(&root).lock("git", "x").err().unwrap();
    assert!(error.to_string().contains("cache"), "{error}");
    assert!(error.advice().is_some());
}
