//! What belongs to one process.
//!
//! A forked child has the memory of its parent but none of its threads: whoever uses a runtime, a pool of connections or an
//! open database of the parent there waits for threads that do not exist, or breaks what the parent still uses.

use std::mem;
use std::process::id;
use std::sync::OnceLock;

/// A value that each process makes for itself when it first asks. It waits for no other thread's lock but that of a maker.
#[derive(Debug)]
pub struct PerProcess<T>(OnceLock<Box<Made<T>>>);

#[derive(Debug)]
struct Made<T> {
    value: ProcessBound<T>,
    /// That of a child.
    next: PerProcess<T>,
}

impl<T> PerProcess<T> {
    pub const fn new() -> Self {
        PerProcess(OnceLock::new())
    }

    /// This process's value, where there is one.
    #[cfg_attr(not(feature = "python"), allow(dead_code))]
    pub fn get(&self) -> Option<&T> {
        let made = self.0.get()?;
        made.value.get().or_else(|| made.next.get())
    }

    /// This process's value.
    pub fn get_or_make(&self, make: impl Fn() -> T) -> &T {
        let mut place = self;
        loop {
            let made = place.0.get_or_init(|| Box::new(Made { value: ProcessBound::new(make()), next: Self::new() }));
            match made.value.get() {
                Some(value) => return value,
                None => place = &made.next,
            }
        }
    }
}

/// A value that only the process that made it may use or drop; in any other it is left alone.
#[derive(Debug)]
pub struct ProcessBound<T> {
    process: u32,
    /// Always there until it is dropped.
    value: Option<T>,
}

impl<T> ProcessBound<T> {
    pub fn new(value: T) -> Self {
        ProcessBound { process: id(), value: Some(value) }
    }

    /// `None` in a process that did not make it.
    pub fn get(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.process == id())
    }
}

impl<T> Drop for ProcessBound<T> {
    fn drop(&mut self) {
        if self.process != id() {
            mem::forget(self.value.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a fork would leave it.
    fn of_another_process<T>(value: T) -> ProcessBound<T> {
        ProcessBound { process: id() + 1, value: Some(value) }
    }

    struct Dropped<'f>(&'f std::cell::Cell<bool>);

    impl Drop for Dropped<'_> {
        fn drop(&mut self) {
            self.0.set(true);
        }
    }

    #[test]
    fn a_process_makes_its_value_once() {
        let values = PerProcess::new();
        assert_eq!(values.get(), None);
        assert_eq!(values.get_or_make(|| 1), &1);
        assert_eq!(values.get_or_make(|| 2), &1);
        assert_eq!(values.get(), Some(&1));
    }

    #[test]
    fn a_child_makes_its_own_beside_that_of_its_parent() {
        let values = PerProcess::new();
        let of_parent = Made { value: of_another_process(1), next: PerProcess::new() };
        assert!(values.0.set(Box::new(of_parent)).is_ok());
        assert_eq!(values.get(), None);
        assert_eq!(values.get_or_make(|| 2), &2);
        assert_eq!(values.get(), Some(&2));
    }

    #[test]
    fn only_the_process_that_made_it_drops_it() {
        let dropped = std::cell::Cell::new(false);
        drop(of_another_process(Dropped(&dropped)));
        assert!(!dropped.get());
        drop(ProcessBound::new(Dropped(&dropped)));
        assert!(dropped.get());
    }
}
