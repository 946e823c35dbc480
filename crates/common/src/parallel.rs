//! Computations over many items, on all processors.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

/// At most this many processors per computation.
static MAX_PROCESSORS: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Returns the number of processors that a computation may use.
pub fn processors() -> usize {
    available_parallelism().map_or(1, usize::from).min(MAX_PROCESSORS.load(Ordering::Relaxed))
}

/// Limits later computations of this process to this many processors; other processes of a cluster use the rest.
pub fn limit_processors(count: usize) {
    MAX_PROCESSORS.store(count.max(1), Ordering::Relaxed);
}

/// Applies `compute` to consecutive chunks of `0..count` at the same time, one chunk for each processor, and returns the results in
/// order. Chunks have at least `min_chunk` items, so that few items are computed on the calling thread alone.
pub fn map_chunks<T: Send>(count: usize, min_chunk: usize, compute: impl Fn(Range<usize>) -> Vec<T> + Sync) -> Vec<T> {
    let chunks = processors().min(count / min_chunk).max(1);
    let chunk = |index: usize| index * count / chunks..(index + 1) * count / chunks;
    scope(|scope| {
        let compute = &compute;
        let others: Vec<_> = (1..chunks).map(|index| scope.spawn(move || compute(chunk(index)))).collect();
        let mut results = compute(chunk(0));
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_however_many_chunks_there_are() {
        for count in [0, 1, 7, 100] {
            for min_chunk in [1, 3, 1000] {
                assert_eq!(map_chunks(count, min_chunk, |chunk| chunk.collect()), (0..count).collect::<Vec<_>>());
            }
        }
    }
}
