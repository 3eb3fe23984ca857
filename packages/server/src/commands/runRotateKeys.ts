import { type Environment, readStorageConfig } from '../config/storageSettings.ts'
import { createDecisionSigner } from '../keys/createDecisionSigner.ts'

/** Replaces the signing key from the next start on; the former one stays published for 49 hours. Returns a summary. */
export async function runRotateKeys(environment: Environment): Promise<string> {
  const { dataDir, signingKeyFile } = readStorageConfig(environment)
  const signer = await createDecisionSigner({ directory: dataDir, file: signingKeyFile })
  const former = signer.jwks().keys[0]?.kid
  await signer.rotate()
  return `Key ${signer.jwks().keys[0]?.kid} replaces ${former}. Restart the service to sign with it.`
}
