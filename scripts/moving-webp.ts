// Makes one moving picture of several pictures.

/** @see https://developers.google.com/speed/webp/docs/riff_container */
export function movingWebp(
  pictures: readonly Buffer[],
  {
    width,
    height,
    milliseconds,
  }: { readonly width: number; readonly height: number; readonly milliseconds: number },
): Buffer {
  const size = Buffer.concat([number(width - 1, 3), number(height - 1, 3)])
  const isAnimation = number(0x02, 4)
  const white = number(0xffffffff, 4)
  const forEver = number(0, 2)
  const corner = number(0, 6)
  const isOpaque = number(0x02, 1)
  const frames = pictures.map((picture) =>
    chunk('ANMF', corner, size, number(milliseconds, 3), isOpaque, pixelsIn(picture)),
  )
  return chunk(
    'RIFF',
    Buffer.from('WEBP'),
    chunk('VP8X', isAnimation, size),
    chunk('ANIM', white, forEver),
    ...frames,
  )
}

/** The pixels of a picture without transparency. The profile of its colors is the usual one. */
function pixelsIn(picture: Buffer): Buffer {
  const start = picture.indexOf('VP8 ')
  if (start === -1) throw new Error('the picture is transparent, or without loss')
  return picture.subarray(start)
}

function chunk(name: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([
    ...[Buffer.from(name), number(content.length, 4), content],
    Buffer.alloc(content.length % 2),
  ])
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}
