import { createDecisionSigner } from '../../adapters/signing/createDecisionSigner.ts'
import { readStorageConfig } from '../../config/storageSettings.ts'

/** Makes a fresh key, which signs from the next start on; the former one stays published for 49 hours. Returns what it did, in words. */
export async function runRotateKeys(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { dataDir, signingKeyFile } = readStorageConfig(environment)
  const signer = await createDecisionSigner({
    directory: dataDir,
    ...(signingKeyFile !== null && { file: signingKeyFile }),
  })
  const former = signer.jwks().keys[0]?.kid
  await signer.rotate()
  return `Key ${signer.jwks().keys[0]?.kid} in place of ${former}. Restart the service to sign with it.`
}
