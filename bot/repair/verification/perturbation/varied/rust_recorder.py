"""What varied tests in Rust call: a module beside each that notes what comes out of the program."""

from __future__ import annotations

_RECORDER = r"""
#[allow(warnings, clippy::all)]
mod NAME {
    use std::cell::RefCell;
    use std::fmt::Debug;
    use std::hash::{Hash, Hasher};
    use std::io::Write;
    use std::panic::{catch_unwind, AssertUnwindSafe};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    thread_local! { static OUT: RefCell<Option<Vec<String>>> = RefCell::new(None); }

    pub struct Seen<T>(pub T);
    pub trait Shown { fn said(&self) -> Option<String>; }
    pub trait Hidden { fn said(&self) -> Option<String>; }
    impl<'a, T: Debug + ?Sized> Shown for Seen<&'a T> {
        fn said(&self) -> Option<String> { Some(format!("{:?}", self.0)) }
    }
    impl<'a, 'b, T: ?Sized> Hidden for &'b Seen<&'a T> {
        fn said(&self) -> Option<String> { None }
    }

    fn digest(text: &str) -> String {
        let mut hasher = std::collections::hash_map::DefaultHasher::new();
        text.hash(&mut hasher);
        format!("{:x}", hasher.finish())
    }

    pub fn note(text: Option<String>) {
        // what can't be shown differs each time, so that nothing follows from it
        let text = text.unwrap_or_else(|| format!("{:?}", std::time::SystemTime::now()));
        OUT.with(|out| {
            if let Some(out) = out.borrow_mut().as_mut() {
                if out.len() < 400 { out.push(digest(&text)); }
            }
        });
    }

    fn ran<T, F: Fn() -> T + Send + Copy + 'static>(label: &str, test: F) -> Option<Vec<String>> {
        let (sender, receiver) = channel();
        let new = thread::Builder::new();
        let named = if label.is_empty() { new } else { new.name(label.to_string()) };
        let _ = named.spawn(move || {
            OUT.with(|out| *out.borrow_mut() = Some(Vec::new()));
            let ended = catch_unwind(AssertUnwindSafe(|| { test(); })).is_ok();
            if !ended { note(Some("panics".to_string())); }
            let _ = sender.send(OUT.with(|out| out.borrow_mut().take()));
        });
        receiver.recv_timeout(Duration::from_secs(5)).ok().and_then(|out| out)
    }

    pub fn run<T, F: Fn() -> T + Send + Copy + 'static>(number: u32, label: &str, test: F) {
        let out = match ran(label, test) { Some(out) => out, None => return };
        let quoted: Vec<String> = out.iter().map(|one| format!("\"{}\"", one)).collect();
        let line = format!("{{\"number\":{},\"out\":[{}]}}\n", number, quoted.join(","));
        let file = std::fs::OpenOptions::new().append(true).create(true).open("PLACE");
        if let Ok(mut file) = file { let _ = file.write_all(line.as_bytes()); }
    }

    pub fn worn<T, F: Fn() -> T + Send + Copy + 'static>(number: u32, label: &str, test: F) {
        let begun = Instant::now();
        for _ in 0..2000 {
            if begun.elapsed() > Duration::from_millis(400) || ran("", test).is_none() { break; }
        }
        run(number, label, test);
    }
}
"""


def recorder(name: str, place: str) -> bytes:
    """Return the module.

    Args:
        name: Its own.
        place: File in which each run of a test is noted, as a line of JSON.
    """
    return _RECORDER.replace("NAME", name).replace("PLACE", place).encode()
