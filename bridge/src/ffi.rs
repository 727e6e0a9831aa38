//! The border to C++. Everything that crosses it is a number, so that a call costs a call.
#![expect(
    unsafe_code,
    reason = "cxx generates the shims; the C++ side takes and gives plain numbers and throws nothing"
)]

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
        include!("mlx-bridge/cpp/bridge.h");

        type CompiledBackend;

        fn compiled_backend() -> CompiledBackend;
        fn set_mb_per_buffer_override(mb: i32);
        fn mb_per_buffer_override() -> i32;
    }
}
