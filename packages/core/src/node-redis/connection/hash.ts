/** A hash, from names and values in turn. */
export function hashOf(reply: unknown): Record<string, string> {
  const hash: Record<string, string> = {}
  if (!Array.isArray(reply)) return hash
  for (let i = 0; i + 1 < reply.length; i += 2) hash[String(reply[i])] = String(reply[i + 1])
  return hash
}
