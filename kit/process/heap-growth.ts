import { setFlagsFromString } from 'node:v8';

/**
 * Lets V8's heap double between two collections of the whole heap. V8 counts buffers with the heap, and by default collects a small heap
 * after every 10 to 20 MiB, which a few screenshots fill. Under moderate load there were four collections a second, each of which holds the
 * event loop for 10 ms or more. With this setting there is one collection in one or two seconds. The price is memory: before a collection
 * there may be as much garbage as live data, some 50 MiB.
 *
 * Call it first in a process that takes pictures of screens.
 */
export function letHeapDouble(): void {
  setFlagsFromString('--heap-growing-percent=100');
}
