import type { AdapterFactory } from '../../src/adapters/contract.ts'
import { Provider } from '../../src/index.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { Config } from '../config.ts'
import { recordEvents } from './audit-log.ts'
import { providerConfiguration } from './configuration.ts'
import type { Keys } from './keys.ts'

/** Makes the OpenID provider, to be mounted at `/oidc`. */
export function createProvider(
  config: Config,
  baseUrl: string,
  parts: { keys: Keys; adapter: AdapterFactory; audit: Pick<Recorder, 'record'> },
): Provider {
  const provider = new Provider(`${baseUrl}/oidc`, providerConfiguration(config, baseUrl, parts))
  // Trust the proxy headers when a proxy speaks https. pinOrigin() sets them on every request.
  provider.proxy = baseUrl.startsWith('https:')
  recordEvents(provider, parts.audit)
  provider.on('server_error', (ctx, error) => {
    console.error(`${ctx.method} ${ctx.oidc?.route ?? ctx.path}:`, error)
  })
  return provider
}
