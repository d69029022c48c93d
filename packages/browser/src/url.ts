import { quietly } from './quietly.ts'

/** `URL.parse`, which browsers have only since 2024. */
export function parseUrl(address: string | URL): URL | undefined {
  return quietly(() => new URL(address))
}
