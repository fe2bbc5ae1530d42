/** A menu of a restaurant, in its language. */
export interface Menu {
  title: string;
  place: string;
  dishes: readonly string[];
  order: string;
  yes: string;
  no: string;
}

export const MENUS: Readonly<Record<string, Menu>> = {
  japanese: {
    title: 'お品書き',
    place: 'Noodle bar in Osaka',
    dishes: [
      'きつねうどん',
      'たぬきうどん',
      '天ぷらそば',
      'ざるそば',
      '味噌ラーメン',
      '塩ラーメン',
      '醤油ラーメン',
      'カレーライス',
      '親子丼',
      '牛丼',
      '天丼',
      '焼き魚定食',
      '刺身定食',
      '枝豆',
      '冷奴',
      '味噌汁',
    ],
    order: 'ご注文',
    yes: '注文する',
    no: 'やめる',
  },
  chinese: {
    title: '菜单',
    place: 'Tea house in Chengdu',
    dishes: [
      '麻婆豆腐',
      '宫保鸡丁',
      '回锅肉',
      '担担面',
      '夫妻肺片',
      '水煮鱼',
      '鱼香茄子',
      '干煸四季豆',
      '酸辣汤',
      '小笼包',
      '葱油饼',
      '茉莉花茶',
      '普洱茶',
      '绿茶',
    ],
    order: '点菜',
    yes: '确定',
    no: '取消',
  },
  hindi: {
    title: 'मेन्यू',
    place: 'Kitchen in Jaipur',
    dishes: [
      'दाल मखनी',
      'पालक पनीर',
      'आलू गोभी',
      'छोले भटूरे',
      'राजमा चावल',
      'मसाला डोसा',
      'नान',
      'लस्सी',
      'मसाला चाय',
      'गुलाब जामुन',
    ],
    order: 'ऑर्डर',
    yes: 'हाँ',
    no: 'नहीं',
  },
};

export const WORDS = {
  cities: [
    'القاهرة',
    'الإسكندرية',
    'الرياض',
    'جدة',
    'دبي',
    'أبوظبي',
    'الدوحة',
    'بغداد',
    'دمشق',
    'بيروت',
    'عمان',
    'تونس',
    'الجزائر',
    'الرباط',
    'مراكش',
    'فاس',
    'صنعاء',
    'مسقط',
    'الكويت',
    'المنامة',
  ],
  languages: [
    'עברית',
    'العربية',
    'English',
    'Français',
    'Русский',
    'አማርኛ',
    '中文',
    '日本語',
    '한국어',
    'ไทย',
    'Ελληνικά',
    'Türkçe',
  ],
} as const;
