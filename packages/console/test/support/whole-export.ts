import { createRemoteJWKSet } from 'jose'
import { verified } from '../verify/history.ts'
import type { Deployment } from './deployment.ts'

/** Exports everything as an auditor, and verifies it by the keys of the provider. */
export async function expectWholeExport({ ask, issuer }: Deployment) {
  const { text } = await ask('ada', '/audit/entries.jsonl')
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`))
  await verified(text.trimEnd().split('\n'), { keys })
  return text
}
