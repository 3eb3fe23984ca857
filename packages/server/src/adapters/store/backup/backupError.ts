import { codeOf, messageOf } from '../../../errors.ts'

/** A back-up or its restoring failed; the message tells the operator why. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EROFS: 'the file system is read-only',
  EBUSY: 'it is a mount point: name a folder inside of it',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'it is not a folder',
}

/** Returns an error that says what could not be done, and why in plain words. */
export function explain(what: string, cause: unknown): BackupError {
  if (cause instanceof BackupError) return cause
  const reason = REASONS[codeOf(cause) ?? '']
  return new BackupError(`${what}: ${reason ?? messageOf(cause)}`, { cause })
}
