/** The commands in what a Redis client sent, scripts with their hash. RESP arrays of bulk strings. */
export function redisCommands(data: Buffer): string[] {
  const commands: string[] = []
  let at = 0
  const line = () => {
    const end = data.indexOf('\r\n', at)
    const text = data.toString('latin1', at, end)
    at = end + 2
    return text
  }
  while (at < data.length) {
    const words = Array.from({ length: Number(line().slice(1)) }, () => {
      const length = Number(line().slice(1))
      const word = data.toString('latin1', at, at + length)
      at += length + 2
      return word
    })
    const [name = '', first] = words
    commands.push(name.startsWith('EVAL') ? `${name} ${first}` : name)
  }
  return commands
}

/**
 * The statements in what a PostgreSQL client sent: the last part of the name for one that is
 * prepared (Bind), else the text. Parse, Describe, Execute and Sync of it do not count apart.
 */
export function postgresCommands(data: Buffer): string[] {
  const commands: string[] = []
  for (let at = 0; at + 5 <= data.length; at += 1 + data.readInt32BE(at + 1)) {
    const type = String.fromCharCode(data[at] ?? 0)
    if (type === 'Q') commands.push(terminated(data, at + 5))
    if (type === 'B') {
      const portal = terminated(data, at + 5)
      const statement = terminated(data, at + 5 + portal.length + 1)
      commands.push(statement.slice(statement.lastIndexOf('_')))
    }
  }
  return commands
}

function terminated(data: Buffer, start: number): string {
  return data.toString('latin1', start, data.indexOf(0, start))
}
