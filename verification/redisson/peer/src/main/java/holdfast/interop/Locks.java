package holdfast.interop;

import java.util.List;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The lock that a request is about: every object that Redisson calls an {@link RLock}. */
final class Locks {
  private final List<RedissonClient> clients;

  /** @param clients one for each master; only a red lock has more than one */
  Locks(List<RedissonClient> clients) {
    this.clients = clients;
  }

  RLock of(Request request) {
    RedissonClient client = clients.get(0);
    String object = request.object() == null ? "lock" : request.object();
    return switch (object) {
      case "lock" -> request.fenced() ? client.getFencedLock(request.lock()) : client.getLock(request.lock());
      case "read-lock" -> client.getReadWriteLock(request.lock()).readLock();
      case "write-lock" -> client.getReadWriteLock(request.lock()).writeLock();
      case "multi-lock" -> new RedissonMultiLock(members(client, request.locks()));
      case "red-lock" -> redLock(request.lock());
      default -> throw new IllegalArgumentException("no object " + object);
    };
  }

  /** One lock of this name on each master. Redisson advises against it, and applications have it. */
  @SuppressWarnings("deprecation")
  private RLock redLock(String name) {
    return new RedissonRedLock(clients.stream().map(one -> one.getLock(name)).toArray(RLock[]::new));
  }

  /** In the order given. A name may say which side of a read/write lock it means: {@code catalog#read}. */
  private static RLock[] members(RedissonClient client, List<String> names) {
    return names.stream().map(name -> member(client, name)).toArray(RLock[]::new);
  }

  private static RLock member(RedissonClient client, String text) {
    String[] parts = text.split("#");
    if (parts.length == 1) return client.getLock(text);
    return switch (parts[1]) {
      case "read" -> client.getReadWriteLock(parts[0]).readLock();
      case "write" -> client.getReadWriteLock(parts[0]).writeLock();
      case "fenced" -> client.getFencedLock(parts[0]);
      default -> throw new IllegalArgumentException("no side " + parts[1]);
    };
  }
}
