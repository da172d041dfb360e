/** Of CRC-16 (XMODEM). Made when it is first needed, which only clusters and multi locks do. */
let table: Uint16Array | undefined

const makeTable = (): Uint16Array =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << 8
    for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)
    return crc
  })

/** The hash slot that a Redis Cluster gives a key: that of its hash tag, if it has one. */
export function slotOf(key: string): number {
  const start = key.indexOf('{')
  const end = start < 0 ? -1 : key.indexOf('}', start)
  const hashed = end > start + 1 ? key.slice(start + 1, end) : key
  const crcs = (table ??= makeTable())
  let crc = 0
  for (const byte of Buffer.from(hashed)) crc = ((crc << 8) ^ (crcs[(crc >> 8) ^ byte] ?? 0)) & 0xffff
  return crc % 16_384
}
