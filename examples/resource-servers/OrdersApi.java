import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.InflaterInputStream;

public class OrdersApi {
  static final String ISSUER = setting("ISSUER", "https://id.example.com/oidc");
  static final String AUDIENCE = setting("AUDIENCE", "https://api.example.com");
  static final HttpClient CLIENT = HttpClient.newHttpClient(); // follows no redirect
  // A request that waits for a list takes no thread from the others. Java 21: virtual threads.
  static final ExecutorService THREADS = Executors.newCachedThreadPool();

  static final int KEYS_SECONDS = 60; // then the keys are fetched again, in the background
  static final int NEW_KEYS_SECONDS = 10; // a key that younger keys lack is no key of the provider
  static final int LIST_SECONDS = 5; // then a request waits for the next list
  static final int LIST_SECONDS_AT_MOST = 30; // what a list is believed for in an outage
  static final int FETCH_SECONDS = 2;
  static final int RETRY_SECONDS = 1;
  static final int MAX_BYTES = 1 << 20;

  static class Invalid extends Exception {}

  static class Unavailable extends Exception {}

  /** What was fetched, and when the fetch began. */
  record Held<T>(T value, long at) {
    static boolean isYounger(Held<?> held, int seconds) {
      return held != null && System.nanoTime() - held.at() <= seconds * 1_000_000_000L;
    }
  }

  /** What the provider publishes at one address. No lock is held over a fetch. */
  static class Source<T> {
    final Callable<T> load;
    volatile Held<T> held;
    Held<Throwable> failure;
    CompletableFuture<Void> flight;

    Source(Callable<T> load) {
      this.load = load;
    }

    /** Begins a fetch, unless one is under way or has just failed. */
    synchronized CompletableFuture<Void> refresh() {
      if (flight != null) return flight;
      if (Held.isYounger(failure, RETRY_SECONDS)) return CompletableFuture.completedFuture(null);
      return flight = CompletableFuture.runAsync(this::fetch, THREADS);
    }

    void fetch() {
      var start = System.nanoTime();
      Held<Throwable> failed = null;
      try {
        held = new Held<>(load.call(), start);
      } catch (Throwable error) {
        System.err.println(error);
        failed = new Held<>(error, System.nanoTime());
      }
      synchronized (this) {
        failure = failed;
        flight = null;
      }
    }

    /** What was fetched within that time, or what there is where the provider does not answer. */
    Held<T> younger(int seconds) {
      if (Held.isYounger(held, seconds)) return held;
      refresh().copy().completeOnTimeout(null, FETCH_SECONDS, TimeUnit.SECONDS).join();
      return held;
    }
  }

  static final Source<Map<String, PublicKey>> KEYS = new Source<>(OrdersApi::fetchKeys);
  static final Map<String, Source<byte[]>> LISTS = new ConcurrentHashMap<>();

  static byte[] fetchList(String uri) throws Exception {
    var list = verify(get(uri, "application/statuslist+jwt"), "statuslist+jwt");
    var statuses = (Map<?, ?>) list.get("status_list");
    var oldest = System.currentTimeMillis() / 1000 - 30;
    if (!uri.equals(list.get("sub")) || number(list.get("iat")) < oldest) throw new Invalid();
    if (number(statuses.get("bits")) != 1) throw new Invalid();
    var compressed = Base64.getUrlDecoder().decode((String) statuses.get("lst"));
    try (var inflated = new InflaterInputStream(new ByteArrayInputStream(compressed))) {
      return inflated.readNBytes(MAX_BYTES);
    }
  }

  static boolean hasEnded(Map<?, ?> claims) throws Unavailable {
    if (!((String) claims.get("jti")).startsWith("impersonation:")) return false;
    if (!claims.containsKey("status")) return false;
    if (!(claims.get("status") instanceof Map<?, ?> status)) return true;
    if (!(status.get("status_list") instanceof Map<?, ?> reference)) return true;
    if (!(reference.get("uri") instanceof String uri)) return true;
    var index = number(reference.get("idx"));
    var name = uri.startsWith(ISSUER + "/status-lists/") ? uri.substring(ISSUER.length() + 14) : "";
    if (!name.matches("[A-Za-z0-9_-]+") || index < 0) return true;
    var list = LISTS.computeIfAbsent(uri, it -> new Source<>(() -> fetchList(it)));
    var held = list.younger(LIST_SECONDS);
    if (!Held.isYounger(held, LIST_SECONDS_AT_MOST)) throw new Unavailable();
    var bits = held.value();
    return index / 8 >= bits.length || (bits[(int) (index / 8)] >> (index % 8) & 1) == 1;
  }

  static Map<String, Object> authenticate(HttpExchange exchange) throws Exception {
    var authorization = exchange.getRequestHeaders().getFirst("Authorization");
    if (authorization == null || !authorization.matches("(?i)Bearer \\S+")) throw new Invalid();
    var claims = verify(authorization.substring(7), "at+jwt");
    if (!ISSUER.equals(claims.get("iss")) || !AUDIENCE.equals(claims.get("aud"))) throw new Invalid();
    if (!(claims.get("sub") instanceof String) || !(claims.get("jti") instanceof String)) throw new Invalid();
    if (claims.containsKey("cnf") || hasEnded(claims)) throw new Invalid();
    return claims;
  }

  static Map<String, Object> verify(String token, String type) throws Exception {
    var parts = token.split("\\.");
    if (parts.length != 3) throw new Invalid();
    var header = Json.object(decode(parts[0]));
    if (!type.equals(header.get("typ"))) throw new Invalid();
    var key = key((String) header.get("kid"));
    // The key decides which algorithm it is for.
    var isRsa = key.getAlgorithm().equals("RSA");
    if (!(isRsa ? "RS256" : "ES256").equals(header.get("alg"))) throw new Invalid();
    var signature = Signature.getInstance(isRsa ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
    signature.initVerify(key);
    signature.update((parts[0] + "." + parts[1]).getBytes());
    if (!signature.verify(Base64.getUrlDecoder().decode(parts[2]))) throw new Invalid();
    var claims = Json.object(decode(parts[1]));
    if (number(claims.get("exp")) <= System.currentTimeMillis() / 1000) throw new Invalid();
    return claims;
  }

  static PublicKey key(String kid) throws Invalid, Unavailable {
    var held = KEYS.held;
    if (held == null || !held.value().containsKey(kid)) {
      held = KEYS.younger(NEW_KEYS_SECONDS);
      if (held != null && held.value().containsKey(kid)) return held.value().get(kid);
      if (Held.isYounger(held, NEW_KEYS_SECONDS)) throw new Invalid();
      throw new Unavailable();
    }
    if (!Held.isYounger(held, KEYS_SECONDS)) KEYS.refresh();
    return held.value().get(kid);
  }

  static Map<String, PublicKey> fetchKeys() throws Exception {
    var keys = new HashMap<String, PublicKey>();
    for (var each : (List<?>) Json.object(get(ISSUER + "/jwks", "application/json")).get("keys")) {
      var jwk = (Map<?, ?>) each;
      var isOfRs256 = !jwk.containsKey("alg") || "RS256".equals(jwk.get("alg"));
      if ("RSA".equals(jwk.get("kty")) && isOfRs256) {
        var numbers = new RSAPublicKeySpec(integer(jwk.get("n")), integer(jwk.get("e")));
        keys.put((String) jwk.get("kid"), KeyFactory.getInstance("RSA").generatePublic(numbers));
      } else if ("P-256".equals(jwk.get("crv"))) {
        var parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec("secp256r1"));
        var curve = parameters.getParameterSpec(ECParameterSpec.class);
        var point = new ECPoint(integer(jwk.get("x")), integer(jwk.get("y")));
        var numbers = new ECPublicKeySpec(point, curve);
        keys.put((String) jwk.get("kid"), KeyFactory.getInstance("EC").generatePublic(numbers));
      }
    }
    return keys;
  }

  static BigInteger integer(Object text) {
    return new BigInteger(1, Base64.getUrlDecoder().decode((String) text));
  }

  /** The whole answer within the time. What is longer is cut off, and then no signature fits. */
  static String get(String url, String accept) throws Exception {
    var text = new ByteArrayOutputStream();
    var request = HttpRequest.newBuilder(URI.create(url)).header("Accept", accept).build();
    var handler =
        BodyHandlers.ofByteArrayConsumer(
            part -> {
              if (text.size() < MAX_BYTES) part.ifPresent(text::writeBytes);
            });
    var answer = CLIENT.sendAsync(request, handler);
    try {
      var status = answer.get(FETCH_SECONDS, TimeUnit.SECONDS).statusCode();
      if (status != 200) throw new IOException(url + " answers " + status);
      return text.toString(StandardCharsets.UTF_8);
    } finally {
      answer.cancel(true); // closes the connection where the answer is not complete
    }
  }

  static String decode(String part) {
    return new String(Base64.getUrlDecoder().decode(part));
  }

  /** A whole number, or -1. */
  static long number(Object value) {
    if (!(value instanceof Double number) || number != Math.rint(number)) return -1;
    return Math.abs(number) < 1L << 53 ? number.longValue() : -1;
  }

  static String setting(String name, String otherwise) {
    return System.getenv().getOrDefault(name, otherwise);
  }

  public static void main(String[] arguments) throws IOException {
    var port = Integer.parseInt(setting("PORT", "8080"));
    var server = HttpServer.create(new InetSocketAddress(port), 0);
    server.setExecutor(THREADS);
    server.createContext("/", OrdersApi::answer);
    server.start();
  }

  static void answer(HttpExchange exchange) throws IOException {
    var body = "";
    var status = 200;
    try {
      var claims = authenticate(exchange);
      var actor = claims.get("act") instanceof Map<?, ?> act ? act.get("sub") : null;
      var isActedFor = actor != null || ((String) claims.get("jti")).startsWith("impersonation:");
      if (exchange.getRequestURI().getPath().equals("/email")) status = isActedFor ? 403 : 204;
      else {
        var seenBy = actor == null ? "" : ",\"seenBy\":" + Json.text((String) actor);
        body = "{\"ordersOf\":" + Json.text((String) claims.get("sub")) + seenBy + "}";
      }
    } catch (Unavailable unavailable) {
      exchange.getResponseHeaders().set("Retry-After", "1");
      status = 503;
    } catch (Exception invalid) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer error=\"invalid_token\"");
      status = 401;
    }
    try (exchange) {
      exchange.sendResponseHeaders(status, body.isEmpty() ? -1 : body.getBytes().length);
      if (!body.isEmpty()) exchange.getResponseBody().write(body.getBytes());
    }
  }

  /** As much JSON as tokens and keys need; a JSON library of yours does the same. */
  static class Json {
    static final int MAX_DEPTH = 32; // of what nobody has signed yet, too

    final String text;
    int at = 0;
    int depth = 0;

    Json(String text) {
      this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) {
      return (Map<String, Object>) new Json(text).value();
    }

    static String text(String value) {
      return "\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    char next() {
      while (Character.isWhitespace(text.charAt(at))) at++;
      return text.charAt(at);
    }

    Object value() {
      if (++depth > MAX_DEPTH) throw new IllegalArgumentException("too deep");
      try {
        return valueAtDepth();
      } finally {
        depth--;
      }
    }

    Object valueAtDepth() {
      switch (next()) {
        case '{' -> {
          var members = new HashMap<String, Object>();
          for (at++; next() != '}'; skipComma()) {
            var name = (String) value();
            if (next() != ':') throw new IllegalArgumentException(text);
            at++;
            members.put(name, value());
          }
          at++;
          return members;
        }
        case '[' -> {
          var items = new ArrayList<Object>();
          for (at++; next() != ']'; skipComma()) items.add(value());
          at++;
          return items;
        }
        case '"' -> {
          return string();
        }
        default -> {
          var start = at;
          while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
          var word = text.substring(start, at);
          if (word.equals("null")) return null;
          if (word.equals("true") || word.equals("false")) return word.equals("true");
          return Double.valueOf(word);
        }
      }
    }

    void skipComma() {
      if (next() == ',') at++;
    }

    String string() {
      var result = new StringBuilder();
      for (at++; text.charAt(at) != '"'; at++) {
        var character = text.charAt(at);
        if (character == '\\') {
          character = text.charAt(++at);
          var escape = "bfnrt".indexOf(character);
          if (escape >= 0) character = "\b\f\n\r\t".charAt(escape);
          else if (character == 'u') {
            character = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
            at += 4;
          }
        }
        result.append(character);
      }
      at++;
      return result.toString();
    }
  }
}
