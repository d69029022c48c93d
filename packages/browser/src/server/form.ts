import { isSubjectToken, SUBJECT_TOKEN_PARAMETER } from '../link.ts'

/** The limit of a form, above the size of a form with one subject token. */
const MAX_FORM_BYTES = 4096

/**
 * Reads the subject token in the form of the back office; nothing if it is no such form.
 *
 * @throws TypeError if other code has read the body before
 */
export async function readSubjectToken(request: Request): Promise<string | undefined> {
  if (request.bodyUsed) throw readBefore()
  const [type] = (request.headers.get('content-type') ?? '').split(';')
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return undefined
  const text = await readText(request)
  // An adapter has made the request from a stream that is at its end.
  if (text === '' && Number(request.headers.get('content-length')) > 0) throw readBefore()
  const [subjectToken, ...repeated] = new URLSearchParams(text).getAll(SUBJECT_TOKEN_PARAMETER)
  return repeated.length === 0 && isSubjectToken(subjectToken) ? subjectToken : undefined
}

function readBefore(): TypeError {
  return new TypeError(
    'accept() must come before body parsers: the body of the request was read before',
  )
}

/** Reads the body; `undefined` if it is too long. */
async function readText({ body }: Request): Promise<string | undefined> {
  // A byte order mark counts as content.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const reader = body?.getReader()
  let text = ''
  let length = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > MAX_FORM_BYTES) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}
