import { spawnSync } from 'node:child_process'
import { expect } from 'chai'

const RENDERS = /^createRoot\((.*)\)\.render\(/m

/** A script that renders with `createRoot` prints the HTML instead. Others stay as they are. */
export function renderToOutput(text: string): string {
  if (!RENDERS.test(text)) return text
  const renders = text
    .replace("{ createRoot } from 'react-dom/client'", "{ renderToString } from 'react-dom/server'")
    .replace(RENDERS, 'const html = renderToString(')
  return `${renders}\nprocess.stdout.write(html)\n`
}

/** A script that renders with `createRoot` takes over what is in the page, when the test calls {@link hydrate}. */
export function hydrateLater(text: string): string {
  return text
    .replace(RENDERS, 'globalThis.hydrate = () => hydrateRoot($1, ')
    .replace('{ createRoot }', '{ hydrateRoot }')
}

/** For `page.evaluate`. */
export const hydrate = () => void Reflect.get(globalThis, 'hydrate')()

/**
 * Returns the output of a CommonJS script in a Node.js process of its own. It must not complain.
 */
export function outputOf(script: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['-'], {
    input: script,
    encoding: 'utf8',
  })
  expect(stderr, 'complaints of the server').to.equal('')
  return stdout
}
