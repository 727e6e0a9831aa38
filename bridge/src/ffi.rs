//! The border to C++. Only numbers and one static string cross it, so that a call costs a call.
#![expect(
    unsafe_code,
    reason = "cxx generates the shims; the C++ side takes and gives plain values and throws nothing"
)]

use std::ffi::CStr;

#[cxx::bridge(namespace = "mlx_bridge")]
pub(crate) mod bridge {
    /// Which C++ file stands behind the border.
    #[derive(Debug)]
    #[repr(u8)]
    enum CompiledBackend {
        Stub,
        Metal,
        HostMetal,
    }

    unsafe extern "C++" {
        include!("cpp/bridge.h");

        type CompiledBackend;

        fn compiled_backend() -> CompiledBackend;
        fn set_mb_per_buffer_override(mb: i32);
        fn mb_per_buffer_override() -> i32;
        fn mlx_version() -> *const c_char;
    }
}

/// The version that the linked MLX reports, where it can be asked.
pub(crate) fn mlx_version() -> Option<&'static CStr> {
    let version = bridge::mlx_version();
    // SAFETY: the C++ side gives null, or a string that ends in 0 and lives as long as the program.
    (!version.is_null()).then(|| unsafe { CStr::from_ptr(version) })
}
