export function pinVersion(text: string, version: string): string
