/** A step that releases something. */
export type Cleanup = () => Promise<unknown> | unknown

/** Creates a stack of cleanups; `run` runs each once, the last added first. */
export function createCleanups() {
  const cleanups: Cleanup[] = []
  return {
    add(cleanup: Cleanup): void {
      cleanups.push(cleanup)
    },
    async run(): Promise<void> {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
    },
  }
}
