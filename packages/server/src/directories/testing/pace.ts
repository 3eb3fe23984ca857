import { DIRECTORY_PACE, type DirectoryPace } from '../../lib/readJson.ts'

/** Reads without pauses. */
export const NO_PAUSES: DirectoryPace = {
  ...DIRECTORY_PACE,
  pauseMs: 0,
  retryMs: 1,
}
