package dumps;

import android.graphics.Rect;
import android.util.Xml;
import android.view.View;
import android.view.ViewGroup;
import android.view.accessibility.AccessibilityNodeInfo;
import android.view.accessibility.AccessibilityNodeProvider;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.robolectric.util.ReflectionHelpers;
import org.xmlpull.v1.XmlSerializer;

/**
 * Writes the accessibility nodes of one window in the format of `uiautomator dump`. That program is not part of the framework's classes, and
 * reads the nodes through a system service that does not run here.
 */
final class Dumper {
  /** Where a clickable node without words is no fault of its app: the words are in what it holds, which may be empty. */
  private static final Set<String> NEVER_NAF =
      Set.of(
          "android.widget.GridView",
          "android.widget.GridLayout",
          "android.widget.ListView",
          "android.widget.TableLayout");

  /** From this level on the two newest attributes are written. */
  private static final int WITH_HINT = 35;

  private final Rect display;
  private final int level;
  private final String packageName;
  private final boolean compressed;

  /** Compressed: without the views that accessibility finds unimportant, as with `uiautomator dump --compressed`. */
  Dumper(Rect display, int level, String packageName, boolean compressed) {
    this.display = display;
    this.level = level;
    this.packageName = packageName;
    this.compressed = compressed;
  }

  String dump(View decor, int rotation) throws IOException {
    setFetchFlags(decor);
    StringWriter writer = new StringWriter();
    XmlSerializer xml = Xml.newSerializer();
    xml.setOutput(writer);
    xml.startDocument("UTF-8", true);
    xml.startTag("", "hierarchy");
    xml.attribute("", "rotation", String.valueOf(rotation));
    write(nodeOf(decor), 0, xml);
    xml.endTag("", "hierarchy");
    xml.endDocument();
    return writer.toString();
  }

  /** A node with those below it. */
  private record Node(AccessibilityNodeInfo info, List<Node> children) {}

  /** What uiautomator requests: all views, or the important ones, with the names of their ids. */
  private void setFetchFlags(View decor) {
    int flags = 0;
    for (String name :
        List.of(
            "FLAG_INCLUDE_NOT_IMPORTANT_VIEWS",
            "FLAG_REPORT_VIEW_IDS",
            "FLAG_SERVICE_REQUESTS_INCLUDE_NOT_IMPORTANT_VIEWS",
            "FLAG_SERVICE_REQUESTS_REPORT_VIEW_IDS")) {
      if (compressed && name.endsWith("NOT_IMPORTANT_VIEWS")) continue;
      try {
        flags |= AccessibilityNodeInfo.class.getDeclaredField(name).getInt(null);
      } catch (ReflectiveOperationException absent) {
        // Each level has two of the four names.
      }
    }
    ReflectionHelpers.setField(ReflectionHelpers.<Object>getField(decor, "mAttachInfo"), "mAccessibilityFetchFlags", flags);
  }

  private static Node nodeOf(View view) {
    AccessibilityNodeProvider provider = view.getAccessibilityNodeProvider();
    if (provider != null) {
      return virtualNodeOf(view, provider, AccessibilityNodeProvider.HOST_VIEW_ID);
    }
    List<Node> children = new ArrayList<>();
    if (view instanceof ViewGroup) {
      ArrayList<View> views = new ArrayList<>();
      view.addChildrenForAccessibility(views);
      for (View child : views) children.add(nodeOf(child));
    }
    return new Node(view.createAccessibilityNodeInfo(), children);
  }

  /** A node of a view that describes its own contents, such as a calendar's days. */
  private static Node virtualNodeOf(View view, AccessibilityNodeProvider provider, int virtualId) {
    AccessibilityNodeInfo info = provider.createAccessibilityNodeInfo(virtualId);
    if (info == null) return null;
    List<Node> children = new ArrayList<>();
    Map<Integer, View> views = viewsById(view);
    for (int at = 0; at < info.getChildCount(); at++) {
      long id = info.getChildId(at);
      View owner = views.get(AccessibilityNodeInfo.getAccessibilityViewId(id));
      int childId = AccessibilityNodeInfo.getVirtualDescendantId(id);
      children.add(owner == null || owner == view ? virtualNodeOf(view, provider, childId) : nodeOf(owner));
    }
    return new Node(info, children);
  }

  private static Map<Integer, View> viewsById(View view) {
    Map<Integer, View> views = new HashMap<>();
    views.put(view.getAccessibilityViewId(), view);
    if (view instanceof ViewGroup group) {
      for (int at = 0; at < group.getChildCount(); at++) views.putAll(viewsById(group.getChildAt(at)));
    }
    return views;
  }

  private void write(Node node, int index, XmlSerializer xml) throws IOException {
    AccessibilityNodeInfo info = node.info();
    xml.startTag("", "node");
    if (isNaf(node)) xml.attribute("", "NAF", "true");
    xml.attribute("", "index", String.valueOf(index));
    xml.attribute("", "text", safe(info.getText()));
    xml.attribute("", "resource-id", safe(info.getViewIdResourceName()));
    xml.attribute("", "class", safe(info.getClassName()));
    xml.attribute("", "package", packageName);
    xml.attribute("", "content-desc", safe(info.getContentDescription()));
    xml.attribute("", "checkable", String.valueOf(info.isCheckable()));
    xml.attribute("", "checked", String.valueOf(info.isChecked()));
    xml.attribute("", "clickable", String.valueOf(info.isClickable()));
    xml.attribute("", "enabled", String.valueOf(info.isEnabled()));
    xml.attribute("", "focusable", String.valueOf(info.isFocusable()));
    xml.attribute("", "focused", String.valueOf(info.isFocused()));
    xml.attribute("", "scrollable", String.valueOf(info.isScrollable()));
    xml.attribute("", "long-clickable", String.valueOf(info.isLongClickable()));
    xml.attribute("", "password", String.valueOf(info.isPassword()));
    xml.attribute("", "selected", String.valueOf(info.isSelected()));
    xml.attribute("", "bounds", boundsOf(info));
    if (level >= WITH_HINT) {
      xml.attribute("", "drawing-order", String.valueOf(info.getDrawingOrder()));
      xml.attribute("", "hint", safe(info.getHintText()));
    }
    for (int at = 0; at < node.children().size(); at++) {
      Node child = node.children().get(at);
      if (child != null && child.info().isVisibleToUser()) write(child, at, xml);
    }
    xml.endTag("", "node");
  }

  private String boundsOf(AccessibilityNodeInfo info) {
    Rect bounds = new Rect();
    info.getBoundsInScreen(bounds);
    if (!bounds.intersect(display)) bounds.setEmpty();
    return bounds.toShortString();
  }

  private static boolean isNaf(Node node) {
    AccessibilityNodeInfo info = node.info();
    if (!info.isClickable() || !info.isEnabled() || NEVER_NAF.contains(String.valueOf(info.getClassName()))) return false;
    return !hasWords(node);
  }

  private static boolean hasWords(Node node) {
    AccessibilityNodeInfo info = node.info();
    if (!safe(info.getText()).isEmpty() || !safe(info.getContentDescription()).isEmpty()) return true;
    return node.children().stream().anyMatch(child -> child != null && hasWords(child));
  }

  /** Without what XML cannot hold. */
  private static String safe(CharSequence text) {
    if (text == null) return "";
    StringBuilder safe = new StringBuilder();
    for (char one : text.toString().toCharArray()) {
      boolean control = one < 0x20 && one != '\t' && one != '\n' && one != '\r' || one >= 0x7f && one <= 0x9f && one != 0x85;
      safe.append(one != 0 && (control || one >= 0xfdd0 && one <= 0xfddf) ? '.' : one);
    }
    return safe.toString();
  }
}
