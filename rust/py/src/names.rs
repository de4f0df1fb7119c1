//! The keys and attributes that are looked up by name, as interned strings made when the module is imported.
//!
//! `intern!` of PyO3 makes each at its first use, and panics where memory has run out by then.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// An interned string that is kept for good and made when the module is imported, for it panics where that fails.
#[allow(clippy::disallowed_methods)]
pub fn intern_at_import(py: Python<'_>, text: &str) -> Py<PyString> {
    PyString::intern(py, text).unbind()
}

/// A name and its interned string.
pub struct Name {
    text: &'static str,
    string: PyOnceLock<Py<PyString>>,
}

impl Name {
    const fn new(text: &'static str) -> Self {
        Self { text, string: PyOnceLock::new() }
    }

    /// The string.
    #[inline]
    pub fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        match self.string.get(py) {
            Some(string) => string.bind(py),
            None => self.make(py),
        }
    }

    #[cold]
    fn make<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.string.get_or_init(py, || intern_at_import(py, self.text)).bind(py)
    }
}

// A name that is not in the list has no arm in `intern!`, which then does not compile: none is left to a first use.
macro_rules! names {
    ($dollar:tt $($name:ident $text:tt)*) => {
        $(
            #[doc = concat!("`", $text, "`.")]
            pub static $name: Name = Name::new($text);
        )*

        /// Makes every string.
        pub fn prepare(py: Python<'_>) {
            $($name.get(py);)*
        }

        /// The interned string of one of the names.
        macro_rules! intern {
            $(($dollar py:expr, $text) => { $crate::names::$name.get($dollar py) };)*
        }
        pub(crate) use intern;
    };
}

names! { $
    EMPTY ""
    NEWLINE "\n"
    BLANK_LINE "\n\n"
    ADD "__add__"
    ARGUMENTS "arguments"
    CAMEL_FUNCTION_CALL "functionCall"
    CAMEL_FUNCTION_RESPONSE "functionResponse"
    CONTENT "content"
    CREATE "create"
    ENCODE "encode"
    END "end"
    ESTIMATED "estimated"
    FUNCTION "function"
    FUNCTION_CALL "function_call"
    FUNCTION_RESPONSE "function_response"
    GETITEM "__getitem__"
    JOINED "joined"
    LEN "__len__"
    NAME "name"
    OUTPUT "output"
    PARTS "parts"
    PATH "path"
    RENDERED "rendered"
    ROLE "role"
    SIZEOF "__sizeof__"
    START "start"
    STEP "step"
    STOP "stop"
    TEXT "text"
    TEXT_PARTS "text_parts"
    TOOL_CALLS "tool_calls"
    TOOL_RESULT "toolResult"
    TOOL_USE "toolUse"
    TO_DICT "to_dict"
    TYPE "type"
    VALUE "value"
    WAITING "waiting"
    WITH_TEXT "with_text"
}
