import type { Session } from './session.ts'

/** The file is not whole, and the browser could not take away what was written. */
export class Unsaved extends Error {}

/** The answer ended, and is not whole. */
export class Incomplete extends Error {}

export interface ExportKind {
  /** Below the API: `/audit/export.csv?…`. */
  readonly path: string
  readonly name: string
  readonly type: string
  /** Whether the answer says by its last line that it is whole. */
  readonly hasLastLine?: boolean
}

/** Where the bytes go: nothing is seen of them before `close`. */
interface Target {
  write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
  close(): Promise<void>
  /** Takes away what was written. */
  abort(): Promise<void>
}

/** Of the File System Access API; not in every browser, and not in the types of TypeScript. */
interface Picker {
  showSaveFilePicker(options: {
    suggestedName: string
  }): Promise<FileSystemFileHandle & { remove?(): Promise<void> }>
}

/**
 * Asks the person for a place, and streams the answer there. Without a picker the bytes are kept
 * until the last one has come, and saved as a download.
 *
 * @returns the number of bytes; `undefined` where the person chose no place
 * @throws {ApiProblem | Unreachable | Incomplete | Unsaved | DOMException} No file was saved, but
 *   for `Unsaved`
 */
export async function exportTo(
  session: Session,
  { path, name, type, hasLastLine = false }: ExportKind,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<number | undefined> {
  // First, since the picker needs the click that is still new.
  const target = await targetFor(name, type)
  if (!target) return undefined
  let bytes = 0
  let end = ''
  try {
    const { body } = await session.fetch(path, { signal })
    if (!body) throw new Incomplete()
    // Reads by hand: a body is not iterable in every browser.
    const reader = body.getReader()
    const decoder = new TextDecoder()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      await target.write(value)
      bytes += value.byteLength
      if (hasLastLine) end = lastLineOf(end + decoder.decode(value, { stream: true }))
      onProgress(bytes)
    }
    signal.throwIfAborted()
    if (hasLastLine && !end.includes('"checkpoint"')) throw new Incomplete()
  } catch (error) {
    await target.abort()
    throw error
  }
  await target.close()
  return bytes
}

/** The last line that has begun, with its line feed where that has come. */
function lastLineOf(text: string): string {
  return text.slice(text.lastIndexOf('\n', text.length - 2) + 1)
}

async function targetFor(name: string, type: string): Promise<Target | undefined> {
  return hasPicker(window) ? pickedFile(window, name) : download(name, type)
}

function hasPicker(window: Window): window is Window & Picker {
  return 'showSaveFilePicker' in window
}

async function pickedFile(window: Picker, name: string): Promise<Target | undefined> {
  const handle = await window.showSaveFilePicker({ suggestedName: name }).catch((error) => {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  })
  if (!handle) return undefined
  // The browser writes elsewhere, and puts the file in its place at `close`.
  const file = await handle.createWritable()
  return {
    write: (bytes) => file.write(bytes),
    close: () => file.close(),
    async abort() {
      await file.abort().catch(() => {})
      // The picker made an empty file; a file of before stays as it was.
      try {
        const { size } = await handle.getFile()
        if (size === 0) await handle.remove?.()
      } catch (cause) {
        throw new Unsaved('the file is still there', { cause })
      }
    },
  }
}

function download(name: string, type: string): Target {
  const parts: Uint8Array<ArrayBuffer>[] = []
  return {
    async write(bytes) {
      parts.push(bytes)
    },
    async close() {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(new Blob(parts, { type }))
      link.download = name
      link.click()
      // The download has begun by then.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
    },
    async abort() {
      parts.length = 0
    },
  }
}
