import { createDecisionSigner, type RotatingSigner } from '../adapters/signing/createDecisionSigner.ts'
import type { StorageConfig } from '../config/storageSettings.ts'

/**
 * Opens the signing key of the configuration.
 * @throws Error if the key file is damaged or other users can read it
 */
export function openSigner({
  dataDir: directory,
  signingKeyFile,
}: Pick<StorageConfig, 'dataDir' | 'signingKeyFile'>): Promise<RotatingSigner> {
  return createDecisionSigner({ directory, ...(signingKeyFile !== null && { file: signingKeyFile }) })
}
