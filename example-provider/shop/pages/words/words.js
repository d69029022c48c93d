// The texts of the page. The server chose the language by the request of the browser.
import german from './de.json'
import english from './en.json'

export const language = document.documentElement.lang

export const words = language === 'de' ? german : english

/**
 * Puts values in the place of their names: `{name}`.
 *
 * @param {string} sentence
 * @param {Record<string, string>} values
 */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (name, key) => values[key] ?? name)
}
