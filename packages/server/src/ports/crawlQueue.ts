/** Endpoints of one host that are due for a probe. */
export type CrawlTask = {
  readonly host: string
  readonly endpoints: readonly string[]
  /** Whether a re-check was requested: probe them first, even if they are not due. */
  readonly isAsked?: boolean
}

/** Probes the endpoints of one host. The signal fires when this process loses its lock on the host. */
export type CrawlHandler = (task: CrawlTask, signal: AbortSignal) => Promise<void>

/** Crawl work that several processes share. */
export type CrawlQueue = {
  /** Queues hosts, each at most once per call. If a host is queued already, the endpoints are added to its task. */
  offer(tasks: readonly CrawlTask[]): Promise<void>
  /** Returns the number of queued endpoints by host, including those in progress; an endpoint may count twice. */
  waiting(): Promise<ReadonlyMap<string, number>>
  /**
   * Processes tasks until the queue is closed. A host is locked while any process works on it. Failed tasks are retried,
   * and those of a dead process are taken over.
   */
  work(handler: CrawlHandler): Promise<void>
  /**
   * Waits for the lock on a host and runs work under it. The work's signal fires if the lock is lost.
   * @throws the signal's reason if that fires while waiting
   */
  alone<T>(host: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Finishes running tasks, returns the others to the queue, and closes everything. */
  close(): Promise<void>
}
