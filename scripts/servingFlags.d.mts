/** Returns the Node flags of the Dockerfile's entrypoint. */
export function servingFlags(): string[]
