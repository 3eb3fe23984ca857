// A native library that only a thread has loaded is unloaded as the thread ends, and then called once more, which ends
// the process. Loaded in the main thread, it stays.
import '@photostructure/sqlite'
import '@resvg/resvg-js'

/** Keeps the native libraries loaded for the threads of a test run. */
export default function setup(): void {}
