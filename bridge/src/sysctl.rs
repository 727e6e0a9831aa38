//! Reading one string of the system's on macOS.
#![expect(
    unsafe_code,
    reason = "one C function; its contract is kept in `read_with` alone, where a test can reach it"
)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr;

/// The type of `sysctlbyname(3)`.
type SysctlByName =
    unsafe extern "C" fn(*const c_char, *mut c_void, *mut usize, *mut c_void, usize) -> c_int;

/// The string value of `name`, or `None` where the system has none.
#[cfg(target_os = "macos")]
pub(crate) fn read(name: &str) -> Option<String> {
    unsafe extern "C" {
        fn sysctlbyname(
            name: *const c_char,
            old: *mut c_void,
            old_length: *mut usize,
            new: *mut c_void,
            new_length: usize,
        ) -> c_int;
    }
    // SAFETY: this is the system's own function.
    unsafe { read_with(sysctlbyname, name) }
}

/// There is no such thing here.
#[cfg(not(target_os = "macos"))]
pub(crate) fn read(_name: &str) -> Option<String> {
    None
}

/// Asks for the length, then for the bytes.
///
/// # Safety
/// `call` must keep to `sysctlbyname(3)`: write at most `*old_length` bytes, and set it to their number.
#[cfg_attr(
    not(any(target_os = "macos", test)),
    expect(dead_code, reason = "compiled everywhere, called on macOS")
)]
unsafe fn read_with(call: SysctlByName, name: &str) -> Option<String> {
    let name = CString::new(name).ok()?;
    let mut length = 0;
    // SAFETY: without a place for the value, only its length is written.
    let status = unsafe {
        call(
            name.as_ptr(),
            ptr::null_mut(),
            &raw mut length,
            ptr::null_mut(),
            0,
        )
    };
    if status != 0 {
        return None;
    }
    let mut value = vec![0_u8; length];
    // SAFETY: `value` has room for `length` bytes.
    let status = unsafe {
        call(
            name.as_ptr(),
            value.as_mut_ptr().cast(),
            &raw mut length,
            ptr::null_mut(),
            0,
        )
    };
    if status != 0 {
        return None;
    }
    // Ends at the terminator; room that a shorter value left is zeros.
    let text = value.split(|&byte| byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    /// A system that knows one name, and grows short between the two questions for another.
    unsafe extern "C" fn fake(
        name: *const c_char,
        old: *mut c_void,
        old_length: *mut usize,
        _new: *mut c_void,
        _new_length: usize,
    ) -> c_int {
        // SAFETY: called by `read_with` alone, which passes a C string and a length.
        let (name, room) = unsafe { (CStr::from_ptr(name), *old_length) };
        let value: &[u8] = match name.to_bytes() {
            b"machdep.cpu.brand_string" => b"Apple M1 Ultra\0",
            b"shrinks" if old.is_null() => b"longer at first\0",
            b"shrinks" => b"short\0",
            b"grows" if old.is_null() => b"a\0",
            b"grows" => b"longer now\0",
            _ => return -1,
        };
        if !old.is_null() {
            if room < value.len() {
                return -1;
            }
            // SAFETY: there is room for the value.
            unsafe { ptr::copy_nonoverlapping(value.as_ptr(), old.cast(), value.len()) };
        }
        // SAFETY: `read_with` passes a valid place.
        unsafe { *old_length = value.len() };
        0
    }

    fn asked(name: &str) -> Option<String> {
        // SAFETY: `fake` keeps to the contract.
        unsafe { read_with(fake, name) }
    }

    #[test]
    fn a_string_is_read_without_its_terminator() {
        assert_eq!(
            asked("machdep.cpu.brand_string").as_deref(),
            Some("Apple M1 Ultra")
        );
    }

    #[test]
    fn a_name_the_system_does_not_know_gives_nothing() {
        assert_eq!(asked("kern.nothing"), None);
        assert_eq!(asked("has\0nul"), None);
    }

    #[test]
    fn a_value_that_changes_between_the_two_calls_gives_the_new_one_or_nothing() {
        assert_eq!(asked("shrinks").as_deref(), Some("short"));
        assert_eq!(asked("grows"), None);
    }
}
