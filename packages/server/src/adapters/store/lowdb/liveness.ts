/** Where a call lies in the log, and how large it is. */
export type Place = { readonly seq: number; readonly segment: number; readonly bytes: number }

/** Knows which records of the log have been replaced by later ones: documents and claims. */
export type Liveness = {
  /** A record was written; the one before it under the same key is dead from now on. */
  placed(key: string, place: Place): void
  /** A record is dead, whoever wrote it. */
  dead(place: Place): void
  /** Numbers of the calls in a segment that still count. */
  liveSeqs(segment: number): Set<number>
  /** Bytes of a segment that nothing needs any more. */
  deadBytes(segment: number): number
  /** The dead records of a segment were removed. */
  cleaned(segment: number): void
}

/** Makes a liveness that knows of no record. */
export function createLiveness(): Liveness {
  const places = new Map<string, Place>()
  const deadBytes = new Map<number, number>()

  const dead = ({ segment, bytes }: Place): void => {
    deadBytes.set(segment, (deadBytes.get(segment) ?? 0) + bytes)
  }

  return {
    placed(key, place) {
      const before = places.get(key)
      if (before) dead(before)
      places.set(key, place)
    },
    dead,
    liveSeqs(segment) {
      const seqs = new Set<number>()
      for (const place of places.values()) if (place.segment === segment) seqs.add(place.seq)
      return seqs
    },
    deadBytes: (segment) => deadBytes.get(segment) ?? 0,
    cleaned(segment) {
      deadBytes.delete(segment)
    },
  }
}
