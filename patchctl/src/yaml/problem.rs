//! The codes and the help of faults that keep a file from being a tree.

use crate::report::Code;
pub use patchctl_apply::yaml::YamlProblem;

impl super::Problem for YamlProblem {
    fn code(&self) -> Code {
        match self {
            Self::Unreadable(_) => Code::FileUnreadable,
            Self::TooLarge { .. } => Code::FileTooLarge,
            Self::NotUtf8 | Self::ControlCharacter => Code::FileNotText,
            Self::Empty => Code::YamlEmpty,
            Self::DuplicateKey { .. } => Code::YamlDuplicateKey,
            Self::SelfAlias | Self::Grows(_) | Self::TooDeep(_) => Code::YamlBomb,
            Self::Syntax(_) | Self::Tab | Self::SecondDocument | Self::ComplexKey | Self::Tag => {
                Code::YamlSyntax
            }
        }
    }

    fn help(&self) -> Option<String> {
        let help = match self {
            Self::TooLarge { .. } => "split it, or check that it is the file you mean",
            Self::NotUtf8 => "save it as UTF-8",
            Self::ControlCharacter => {
                "remove it; in a double-quoted text it can be written as an escape"
            }
            Self::Syntax(text) if text.contains("mapping values are not allowed") => {
                "a text that holds `: ` or begins with a sign of YAML's needs quotes"
            }
            Self::Tab => "indent with spaces",
            Self::SecondDocument => {
                "one file is one document: remove the `---`, or make it a file of its own"
            }
            Self::DuplicateKey { .. } => "keep one of them",
            Self::Tag => "remove it; quotes make a number a text",
            Self::SelfAlias | Self::Grows(_) | Self::TooDeep(_) => "write the values out",
            Self::Unreadable(_) | Self::Empty | Self::Syntax(_) | Self::ComplexKey => return None,
        };
        Some(help.to_owned())
    }

    fn is_surroundings(&self) -> bool {
        matches!(self, Self::Unreadable(_))
    }
}
