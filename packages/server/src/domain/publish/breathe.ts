/** Yields to the event loop if the current work has run for long. Called at every step of long work. */
export type Breathe = () => Promise<void> | undefined
