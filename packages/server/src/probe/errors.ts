/** Thrown for a host or address that the address policy refuses. */
export class AddressRefusedError extends Error {
  override readonly name = 'AddressRefusedError'
  readonly code = 'TOUCHSTONE_ADDRESS_REFUSED'
  constructor(place: string) {
    super(`address refused by policy: ${place}`)
  }
}

/** Thrown when a name cannot be resolved. */
export class ResolveError extends Error {
  override readonly name = 'ResolveError'
  /**
   * @param code resolver error code
   * @param isTheirs whether the name does not exist, according to a resolver that worked recently
   */
  constructor(
    readonly code: string,
    readonly isTheirs: boolean,
  ) {
    super(`name could not be resolved: ${code}`)
  }
}

/** Thrown when an address did not answer and our own network may be at fault. */
export class UnreachedError extends Error {
  override readonly name = 'UnreachedError'
  constructor(cause: unknown) {
    super('no answer, and our own network may be down', { cause })
  }
}

/** Thrown when our own way out fails: its proxy, or the local address. */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  constructor(reason: string, cause?: unknown) {
    super(`way out: ${reason}`, { cause })
  }
}

/** Thrown when a program that is run as a client fails. It has no code that speaks against the seller. */
export class RealClientError extends Error {
  override readonly name = 'RealClientError'
  constructor(reason: string, cause?: unknown) {
    super(`client program: ${reason}`, { cause })
  }
}

/** Thrown for a redirect that is not followed. */
export class RedirectRefusedError extends Error {
  override readonly name = 'RedirectRefusedError'
  readonly code = 'TOUCHSTONE_REDIRECT_REFUSED'
  /**
   * @param isElsewhere whether it leads to another origin, which our rule refuses and is no fault of the seller
   * @param leadsTo canonical URL of another origin
   */
  constructor(
    reason: string,
    readonly isElsewhere: boolean,
    readonly status: number,
    readonly leadsTo?: string,
  ) {
    super(`redirect refused: ${reason}`)
  }
}

/** Thrown when the deadline of a probe has passed. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  /** @param isOurs whether the delay or the cancellation was ours, and not the seller's fault */
  constructor(readonly isOurs: boolean) {
    super('probe deadline exceeded')
  }
}

/** Returns the `code` of a Node error, or undefined. */
export function readCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}
