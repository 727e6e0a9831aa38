//! The message of a panic: it is a bug of patchctl, with what to report.

use std::io::Write;
use std::panic::PanicHookInfo;

use crate::cli::version;

/// Makes a panic say what it is. The process then ends with 101, which is no exit status of patchctl's.
pub fn report_panics() {
    std::panic::set_hook(Box::new(|info| {
        // A stream that is gone cannot be told so.
        let _ = std::io::stderr().write_all(message(info).as_bytes());
    }));
}

fn message(info: &PanicHookInfo<'_>) -> String {
    // `payload_as_str` came with Rust 1.91.
    let payload = info.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = info
        .location()
        .map(|place| format!("{}:{}", place.file(), place.line()))
        .unwrap_or_else(|| "an unknown place".to_owned());
    format!(
        "bug: patchctl gave up at {place}: {what}\n\
         help: this is a fault of patchctl's, not of your overlay. Please report it at\n\
         {repository}/issues with this message, the command line, and\n\
         patchctl {version}\n",
        repository = env!("CARGO_PKG_REPOSITORY"),
        version = version::long().replace('\n', ", "),
    )
}
