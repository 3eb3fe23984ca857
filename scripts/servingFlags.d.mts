/** How Node is run to serve: what the Dockerfile gives it. */
export function servingFlags(): string[]
