import { expect } from 'chai'
import type { Deployment } from './deployment.ts'

const ISOLATES = /[\u2066-\u2069]/g

/** A page of the console, without the characters that keep names apart. */
export async function readPage(deployment: Deployment, who: string, path: string) {
  return (await deployment.browse(who, path)).text.replace(ISOLATES, '')
}

/** The values that the forms of a page have, by action. */
export function formsOf(html: string): ReadonlyMap<string, Record<string, string>> {
  const forms = html.matchAll(/<form[^>]*?action="\/(?:account|console)([^"]*)".*?<\/form>/gs)
  return new Map([...forms].map(([form, action = '']) => [action, valuesIn(form)]))
}

function valuesIn(form: string) {
  const inputs = [...form.matchAll(/<input [^>]*>/g)].map(([input]) => input)
  const areas = [...form.matchAll(/<textarea[^>]* name="([^"]+)"[^>]*>([^<]*)/g)]
  return Object.fromEntries([
    ...inputs
      .filter((input) => !input.includes('type="radio"') || / checked/.test(input))
      .map((input) => [attribute(input, 'name'), attribute(input, 'value')]),
    ...areas.map(([, name, value]) => [name, value]),
  ])
}

const attribute = (input: string, name: string) =>
  new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1]?.replaceAll('&amp;', '&') ?? ''

/**
 * Presses a button of a form as a page has it.
 *
 * @param more what is typed
 * @param button the action of the button, if it has another than the form
 */
export async function press(
  deployment: Deployment,
  html: string,
  action: string,
  { who = 'olivia', more = {}, button = action } = {},
) {
  const fields = formsOf(html).get(action)
  expect(fields, `${action} in the page`).not.to.equal(undefined)
  if (button !== action) expect(html).to.include(`formaction="/console${button}"`)
  return deployment.send(who, button, { ...fields, ...more })
}
