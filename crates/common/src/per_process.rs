//! Values that belong to one process and are not used in its forked children.
//!
//! A forked child has a copy of its parent's memory, but none of its threads. In the child, a runtime, a connection pool or an open
//! database of the parent would wait for threads that do not exist, or disturb connections and files that the parent still uses.

use std::mem;
use std::process::id;
use std::sync::OnceLock;

/// A value created once per process, on first use. Reading it takes no lock; threads that create it at the same time wait for each other.
#[derive(Debug)]
pub struct PerProcess<T>(OnceLock<Box<Generation<T>>>);

/// The value of one process, and the values of its forked children.
#[derive(Debug)]
struct Generation<T> {
    value: ProcessBound<T>,
    /// Set in a forked child that has created its own value.
    child: PerProcess<T>,
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> PerProcess<T> {
    pub const fn new() -> Self {
        PerProcess(OnceLock::new())
    }

    /// Returns the value of this process, if it has been created.
    pub fn get(&self) -> Option<&T> {
        let generation = self.0.get()?;
        generation.value.get().or_else(|| generation.child.get())
    }

    /// Returns the value of this process, and creates it on first use.
    pub fn get_or_init(&self, init: impl Fn() -> T) -> &T {
        let mut slot = self;
        loop {
            let first = || Box::new(Generation { value: ProcessBound::new(init()), child: Self::new() });
            let generation = slot.0.get_or_init(first);
            match generation.value.get() {
                Some(value) => return value,
                None => slot = &generation.child,
            }
        }
    }
}

/// A value that only the process that created it can use and drop. A forked child can do neither.
#[derive(Debug)]
pub struct ProcessBound<T> {
    process: u32,
    /// `Some` until it is dropped.
    value: Option<T>,
}

impl<T> ProcessBound<T> {
    pub fn new(value: T) -> Self {
        ProcessBound { process: id(), value: Some(value) }
    }

    /// Returns the value; `None` in a process that did not create it.
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

    /// Returns the value as a forked child sees it.
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
    fn a_process_creates_its_value_once() {
        let values = PerProcess::new();
        assert_eq!(values.get(), None);
        assert_eq!(values.get_or_init(|| 1), &1);
        assert_eq!(values.get_or_init(|| 2), &1);
        assert_eq!(values.get(), Some(&1));
    }

    #[test]
    fn a_forked_child_creates_its_own_value() {
        let values = PerProcess::new();
        let of_parent = Generation { value: of_another_process(1), child: PerProcess::new() };
        assert!(values.0.set(Box::new(of_parent)).is_ok());
        assert_eq!(values.get(), None);
        assert_eq!(values.get_or_init(|| 2), &2);
        assert_eq!(values.get(), Some(&2));
    }

    #[test]
    fn only_the_process_that_created_a_value_drops_it() {
        let dropped = std::cell::Cell::new(false);
        drop(of_another_process(Dropped(&dropped)));
        assert!(!dropped.get());
        drop(ProcessBound::new(Dropped(&dropped)));
        assert!(dropped.get());
    }
}
