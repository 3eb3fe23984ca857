/** The published files of the map: `latest`, `{version}` and `{from}-{to}`. */
export type MapFiles = {
  /** Returns a file; undefined if there is none. */
  read(name: string): Promise<Uint8Array | undefined>
  /** Writes files and then `latest`, and removes what is not kept. Resolves once all is durable. */
  publish(
    files: ReadonlyMap<string, Uint8Array>,
    options: { latest: string; isKept: (name: string) => boolean },
  ): Promise<void>
}

/** Whether a body or diff is kept beside a version: a reader that has the header before may still be fetching it. */
export const isKeptBeside = (version: number, name: string) => Number(name.split('-').at(-1)) >= version - 1

/** Name of the signed header. */
export const LATEST = 'latest'
