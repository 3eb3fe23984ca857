export function suiteOf(file: string): string
export function listTests(): string[]
