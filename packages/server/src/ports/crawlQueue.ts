/** Endpoints of one host that are due for a look. */
export type CrawlTask = {
  readonly host: string
  readonly endpoints: readonly string[]
  /** Somebody wants them looked at whether they are due or not, and before all others. */
  readonly isAsked?: boolean
}

/** Looks at one host. The signal fires when this process may no longer do so; what is under way should end soon. */
export type CrawlHandler = (task: CrawlTask, signal: AbortSignal) => Promise<void>

/** Crawl work that several processes share. */
export type CrawlQueue = {
  /** Puts hosts up for work. One that waits already is not put up twice: its endpoints become the new ones. */
  offer(tasks: readonly CrawlTask[]): Promise<void>
  /**
   * Takes work until the queue is closed. No host is worked on twice at once, by whichever process; work that rejects
   * is tried again later, and work of a process that died is given to another one.
   */
  work(handler: CrawlHandler): Promise<void>
  /**
   * Waits for its turn with a host, and does this work while nobody works on that host. The work's signal fires when
   * it may be alone no longer.
   * @throws the signal's reason when that fires before its turn
   */
  alone<T>(host: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Finishes what is under way, gives back what is not begun, and lets go of everything. */
  close(): Promise<void>
}
