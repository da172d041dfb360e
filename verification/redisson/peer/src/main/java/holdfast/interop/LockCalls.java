package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.LinkedHashMap;
import java.util.Map;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The calls on one lock, each made on the thread of its task. Instants are of {@link Clock}. */
final class LockCalls {
  private final RedissonClient client;
  private final Locks locks;

  LockCalls(RedissonClient client, Locks locks) {
    this.client = client;
    this.locks = locks;
  }

  Map<String, Object> lock(Request request) {
    double askedAtMs = Clock.nowMs();
    Long token = null;
    if (request.fenced()) {
      refuseFencedLease(request);
      token = client.getFencedLock(request.lock()).lockAndGetToken();
    } else if (request.leaseMs() == null) {
      locks.of(request).lock();
    } else {
      locks.of(request).lock(request.leaseMs(), MILLISECONDS);
    }
    return entry(askedAtMs, token);
  }

  Map<String, Object> tryLock(Request request) throws InterruptedException {
    double askedAtMs = Clock.nowMs();
    if (request.fenced()) {
      refuseFencedLease(request);
      RFencedLock lock = client.getFencedLock(request.lock());
      Long token =
          request.waitMs() == null
              ? lock.tryLockAndGetToken()
              : lock.tryLockAndGetToken(request.waitMs(), MILLISECONDS);
      return token == null ? refusal(askedAtMs) : entry(askedAtMs, token);
    }
    RLock lock = locks.of(request);
    long waitMs = request.waitMs() == null ? 0 : request.waitMs();
    boolean entered =
        request.leaseMs() == null
            ? lock.tryLock(waitMs, MILLISECONDS)
            : lock.tryLock(waitMs, request.leaseMs(), MILLISECONDS);
    return entered ? entry(askedAtMs, null) : refusal(askedAtMs);
  }

  Map<String, Object> unlock(Request request) {
    double leftAtMs = Clock.nowMs();
    locks.of(request).unlock();
    return Map.of("leftAtMs", leftAtMs, "releasedAtMs", Clock.nowMs());
  }

  Map<String, Object> forceUnlock(Request request) {
    return Map.of("forced", locks.of(request).forceUnlock());
  }

  Map<String, Object> look(Request request) {
    RLock lock = locks.of(request);
    return Map.of(
        "isLocked", lock.isLocked(),
        "isHeld", lock.isHeldByCurrentThread(),
        "holdCount", lock.getHoldCount(),
        "remainingMs", lock.remainTimeToLive());
  }

  /** As Redisson writes it into the lock's hash. */
  static String owner(RedissonClient client) {
    return client.getId() + ":" + Thread.currentThread().getId();
  }

  /** Redisson's fenced calls do take a lease, and then use the watchdog. */
  private static void refuseFencedLease(Request request) {
    if (request.leaseMs() != null) throw new IllegalArgumentException("no leaseMs with fenced");
  }

  private Map<String, Object> entry(double askedAtMs, Long token) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("entered", true);
    entry.put("askedAtMs", askedAtMs);
    entry.put("enteredAtMs", Clock.nowMs());
    entry.put("owner", owner(client));
    if (token != null) entry.put("token", token);
    return entry;
  }

  private static Map<String, Object> refusal(double askedAtMs) {
    return Map.of("entered", false, "askedAtMs", askedAtMs, "refusedAtMs", Clock.nowMs());
  }
}
