// Long computations in small steps, so that the page still responds to taps.

// Milliseconds of one step.
const STEP = 8;

/**
 * Runs a generator to its end, a few milliseconds at a time.
 * @template T
 * @param {Iterable<T>} steps @param {() => boolean} [isWanted] false ends it
 * @returns {Promise<T[] | null>} null if it was ended
 */
export async function inSteps(steps, isWanted = () => true) {
  const found = [];
  let begun = performance.now();
  for (const step of steps) {
    found.push(step);
    if (performance.now() - begun < STEP) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (!isWanted()) return null;
    begun = performance.now();
  }
  return isWanted() ? found : null;
}
