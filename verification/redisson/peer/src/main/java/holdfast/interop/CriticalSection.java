package holdfast.interop;

import java.util.List;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * What cycles do inside the lock. Both sides run the same two scripts.
 *
 * @param keys the lock; how many are inside; how many cycles were made
 * @param enter answers "inside made ttl"
 * @param leave takes the number of cycles to write
 */
record CriticalSection(List<Object> keys, String enter, String leave) {
  record Seen(long inside, long made, long ttlMs) {}

  Seen enter(RedissonClient client, Object... values) {
    String[] seen = this.<String>eval(client, enter, values).split(" ");
    return new Seen(Long.parseLong(seen[0]), Long.parseLong(seen[1]), Long.parseLong(seen[2]));
  }

  void leave(RedissonClient client, long made) {
    eval(client, leave, Long.toString(made));
  }

  private <T> T eval(RedissonClient client, String script, Object... values) {
    RScript scripts = client.getScript(StringCodec.INSTANCE);
    return scripts.eval(RScript.Mode.READ_WRITE, script, RScript.ReturnType.VALUE, keys, values);
  }
}
