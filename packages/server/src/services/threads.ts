/** The thread that parses documents. One that takes more processor time or memory counts as unreadable. */
export const DOCUMENTS_THREAD = {
  script: new URL('./documentsThread.js', import.meta.url),
  limits: {
    processorMs: 3_000,
    waitMs: 60_000,
  },
  heapMb: 256,
}

/** The thread that probes. Its limits apply to probes that are open after their deadline: a sound thread answers at once. */
export const PROBER_THREAD = {
  script: new URL('./proberThread.js', import.meta.url),
  limits: {
    processorMs: 5_000,
    waitMs: 60_000,
  },
}
