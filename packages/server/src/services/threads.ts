/** The thread that parses documents. One that takes more processor time or memory counts as unreadable. */
export const DOCUMENTS_THREAD = {
  script: new URL('./documentsThread.js', import.meta.url),
  limits: {
    processorMs: 3_000,
    waitMs: 60_000,
  },
  heapMb: 256,
}

/**
 * The thread that reads the chain. Its limits apply to calls to one RPC that are open after their deadline, which the health
 * check makes: a sound thread ends them at once.
 */
export const CHAIN_THREAD = {
  script: new URL('./chainThread.js', import.meta.url),
  limits: {
    processorMs: 30_000,
    waitMs: 60_000,
  },
  heapMb: 512,
}

/** The thread that probes. Its limits apply to probes that are open after their deadline: a sound thread answers at once. */
export const PROBER_THREAD = {
  script: new URL('./proberThread.js', import.meta.url),
  limits: {
    processorMs: 5_000,
    waitMs: 60_000,
  },
  heapMb: 256,
}
