/**
 * Finds the element with this id.
 *
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function byId(id, kind) {
  const element = document.getElementById(id)
  const expected = kind ?? HTMLElement
  if (element instanceof expected) return /** @type {Kind} */ (element)
  throw new Error(`the page has no ${expected.name} '${id}'`)
}

/**
 * Makes a copy of a template that the server rendered.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function copyOf(id) {
  const copy = byId(id, HTMLTemplateElement).content.firstElementChild?.cloneNode(true)
  if (copy instanceof HTMLElement) return copy
  throw new Error(`the template '${id}' is empty`)
}

/**
 * Finds the element inside with this `data-slot`.
 *
 * @param {ParentNode} root
 * @param {string} name
 * @returns {HTMLElement}
 */
export function slot(root, name) {
  const element = root.querySelector(`[data-slot="${name}"]`)
  if (element instanceof HTMLElement) return element
  throw new Error(`there is no slot '${name}'`)
}

/**
 * Puts texts into slots, always as text: no value becomes markup.
 *
 * @template {ParentNode} Root
 * @param {Root} root
 * @param {Readonly<Record<string, string>>} texts
 * @returns {Root}
 */
export function fill(root, texts) {
  for (const [name, text] of Object.entries(texts)) slot(root, name).textContent = text
  return root
}

/**
 * Disables the button while the work runs, so that it does not start twice.
 *
 * @param {HTMLElement} button
 * @param {() => Promise<void>} work
 */
export async function whileBusy(button, work) {
  if (button.ariaBusy === 'true') return
  button.ariaBusy = 'true'
  try {
    await work()
  } finally {
    button.ariaBusy = null
  }
}
