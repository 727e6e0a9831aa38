//! Which chip this is, and the one gate that budget and ops limit share.

use std::fmt;

use crate::sysctl;

/// An Apple GPU of the M series, known by its generation. A machine without one has no `AppleGpu`:
/// Intel, Linux, a virtual chip, a chip of another series, or one whose name says something new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AppleGpu {
    generation: u32,
}

impl AppleGpu {
    /// The first generation whose GPU has the Neural Accelerator.
    const FIRST_WITH_NEURAL_ACCELERATOR: u32 = 5;

    /// The GPU of `M<generation>`; `None` for 0.
    pub const fn of_generation(generation: u32) -> Option<Self> {
        if generation == 0 {
            None
        } else {
            Some(Self { generation })
        }
    }

    /// Reads a chip's name as `machdep.cpu.brand_string` has it: `Apple M1`, `Apple M5 Max`.
    /// What follows the generation after a space (`Ultra`, `(Virtual)`) does not matter here.
    pub fn from_brand(brand: &str) -> Option<Self> {
        let name = brand.trim().strip_prefix("Apple M")?;
        let generation = name.split(' ').next()?;
        // `parse` alone would also take a sign.
        if !generation.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Self::of_generation(generation.parse().ok()?)
    }

    /// This machine's, asked of the system; `None` wherever that is not macOS.
    pub fn detect() -> Option<Self> {
        Self::from_brand(&sysctl::read("machdep.cpu.brand_string")?)
    }

    /// 1 for the M1 family, and so on.
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// Returns true if the GPU has the Neural Accelerator (M5 and later). Decode on those was measured flat
    /// over the same settings, so they keep MLX's own.
    pub const fn has_neural_accelerator(self) -> bool {
        self.generation >= Self::FIRST_WITH_NEURAL_ACCELERATOR
    }
}

impl fmt::Display for AppleGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Apple M{}", self.generation)
    }
}

/// Returns true if decode gains from longer command buffers here: M1 to M4. The gate of the decode budget and
/// of the ops limit.
pub(crate) fn gains_from_longer_buffers(hardware: Option<AppleGpu>) -> bool {
    hardware.is_some_and(|gpu| !gpu.has_neural_accelerator())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(brand: &str) -> Option<u32> {
        AppleGpu::from_brand(brand).map(AppleGpu::generation)
    }

    #[test]
    fn a_brand_string_gives_the_generation_and_nothing_else_does() {
        for (brand, expected) in [
            ("Apple M1", Some(1)),
            ("Apple M1 Ultra", Some(1)),
            ("Apple M1 (Virtual)", Some(1)),
            (" Apple M4 Pro\n", Some(4)),
            ("Apple M5 Max", Some(5)),
            ("Apple M10", Some(10)),
            ("Apple M10 Ultra", Some(10)),
            ("Apple M", None),
            ("Apple M0", None),
            ("Apple M+1", None),
            ("Apple M1X", None),
            ("Apple M99999999999", None),
            ("Apple A18 Pro", None),
            ("Apple processor", None),
            ("VirtualApple @ 2.50GHz", None),
            ("Intel(R) Core(TM) i9-9980HK CPU @ 2.40GHz", None),
            ("M1", None),
            ("", None),
        ] {
            assert_eq!(generation(brand), expected, "{brand:?}");
        }
    }

    #[test]
    fn the_neural_accelerator_comes_with_the_fifth_generation() {
        let with: Vec<u32> = (1..=12)
            .filter(|&n| AppleGpu::of_generation(n).unwrap().has_neural_accelerator())
            .collect();
        assert_eq!(with, [5, 6, 7, 8, 9, 10, 11, 12]);
    }
}
