/** One tab of a browser. */
export interface Tab {
  readonly id: string
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** The value of an expression in the page, by way of JSON; a promise is awaited. */
  evaluate<T>(expression: string): Promise<T>
  /** Presses the mouse there, in pixels of the window. */
  click(x: number, y: number): Promise<void>
  /** Makes its window so large, as far as the browser does. */
  setSize(size: { readonly width: number; readonly height: number }): Promise<void>
  /** Types into what has the focus. */
  type(text: string): Promise<void>
  /** A picture of the window: a PNG, in Base64. */
  screenshot(): Promise<string>
  close(): Promise<void>
}

/** An empty browser of one person. */
export interface Seat extends AsyncDisposable {
  /** A new tab, which is visible. */
  open(): Promise<Tab>
  /** All tabs, in any order. */
  tabs(): Promise<readonly Tab[]>
}

export interface TestBrowser {
  readonly name: string
  /** The software that is missing on this machine, and how to install it; nothing where the browser is there. */
  readonly missing: string | undefined
  sitDown(): Promise<Seat>
}

/** Actions of WebDriver, the same in its classic form and in BiDi. */
export function clickAt(x: number, y: number): readonly object[] {
  const at = { type: 'pointerMove', x: Math.round(x), y: Math.round(y) }
  const actions = [at, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }]
  return [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]
}

export function typed(text: string): readonly object[] {
  const actions = [...text].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ])
  return [{ type: 'key', id: 'keyboard', actions }]
}
