import type { Observation } from '../../../domain/facts/facts.ts'
export function encodeLook({ id, at: _, latencyMs, ...shape }: Observation): { shape: string; look: Uint8Array } {
  return { shape: JSON.stringify(shape), look: Buffer.from(JSON.stringify([id, latencyMs])) }
}
export function decodeLook(shape: string, at: number, look: Uint8Array): Observation {
  const [id, latencyMs] = JSON.parse(Buffer.from(look).toString())
  return { ...JSON.parse(shape), id, at, latencyMs }
}
