/** Called at every step of long work: lets others have a turn where this one has lasted long enough. */
export type Breathe = () => Promise<void> | undefined
