//! Compiles the bridge.

fn main() {
    cxx_build::bridge("src/ffi.rs")
        .file("cpp/stub.cc")
        .std("c++17")
        .compile("mlx_bridge");
}
